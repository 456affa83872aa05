// A machine of simulated cores: each thread of the program has one, and a time of its own.
//
// Threads run one at a time: always the one whose time is the earliest. An access to memory takes
// it a fraction of a nanosecond if its core's cache has the line, and longer if another core has
// written to it, one core after the other. So the program behaves as on a machine with so many
// cores, on one that has one, and the same each time.
#pragma once

extern "C" {

// What was moved between caches, by what it was wanted for.
struct SimulatedTransfers {
  long loads;
  long stores;
  long atomics;
};

// From here on, the calling thread and those that it starts are simulated.
void StartSimulation();
// What happens between these two takes no time.
void PauseSimulation();
void ResumeSimulation();
// The calling thread is busy for so long, in nanoseconds, with what is not simulated.
void SpendSimulatedTime(double ns);
double SimulatedTime();
SimulatedTransfers CountTransfers();

// In place of the processor's instruction in spinning loops.
void SimulatedPause(void);

}  // extern "C"
