// The launcher: a program that becomes an engine of ViZDoom's, one that ends with the process whose
// engine it is, however that ends, and that Ctrl-C in its terminal does not reach.
#include "vizdoom/launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// Makes a folder of the user's the working one: engines make folders wherever they are, and read
// settings there. Returns false if there is none, if it leads elsewhere, or if others can write to
// it.
bool LeaveWorkingFolder() {
  const char* const given = std::getenv("TMPDIR");
  const std::string temporary = given == nullptr || *given == '\0' ? "/tmp" : given;
  const std::string folder = temporary + "/envpool-vizdoom-" + std::to_string(getuid());
  mkdir(folder.c_str(), S_IRWXU);
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat entered = {};
  if (opened < 0 || fstat(opened, &entered) != 0) {
    std::perror(folder.c_str());
    return false;
  }
  if (entered.st_uid != getuid() || (entered.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    std::fprintf(stderr, "%s is another user's, or others can write to it\n", folder.c_str());
    return false;
  }
  return fchdir(opened) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int launch = argc - 3;
  if (launch < 1 || std::strcmp(argv[launch], envpool::vizdoom::kLaunch) != 0) {
    std::fputs("envpool starts this program for ViZDoom's tasks; it does nothing else\n", stderr);
    return EXIT_FAILURE;
  }
  const long parent = std::atol(argv[launch + 1]);
  char* const engine = argv[launch + 2];
  setsid();
  // The parent's thread that waits for the engine is the one that counts.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return EXIT_FAILURE;  // it has ended before it could be noticed
  if (!LeaveWorkingFolder()) return EXIT_FAILURE;
  argv[0] = engine;
  argv[launch] = nullptr;
  execv(engine, argv);
  std::perror(engine);
  return EXIT_FAILURE;
}
