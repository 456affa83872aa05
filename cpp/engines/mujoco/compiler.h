// Compiler: MuJoCo's, in a process of its own.
//
// A file can let it run for hours, take all memory or crash, and an exception inside of it ends the
// process: MuJoCo brings its own unwinder, which doesn't get along with ours. So another program
// compiles (compiler/compile_model.cpp, beside this library, with the version in its name), for a
// few minutes at most.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

namespace envpool::mujoco {

// Compiles the file at `path`. Throws std::invalid_argument that names the file if it is no model
// for MuJoCo.
std::shared_ptr<const mjModel> CompileModel(const std::string& path);

// A model as text, and the files that it names: these names lead to these paths, and no other name
// leads anywhere.
struct ModelText {
  struct File {
    std::string name;
    std::string path;

    auto operator<=>(const File&) const = default;
  };

  std::string name;  // for messages
  std::string xml;
  std::vector<File> files;

  auto operator<=>(const ModelText&) const = default;
};

// Compiles a text; messages have its name.
std::shared_ptr<const mjModel> CompileModel(const ModelText& text);

// A text that is another one for another model, also if both have the same parts, and for another
// version of MuJoCo. Only for models of CompileModel.
std::string ContentOf(const std::shared_ptr<const mjModel>& model);

}  // namespace envpool::mujoco
