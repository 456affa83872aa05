#include "vizdoom/doom_library.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>

#include "vizdoom/paths.h"

namespace envpool::vizdoom {

namespace {

// How a compiler on Linux writes `void vizdoom::DoomGame::...(std::string)`.
#define ENVPOOL_WITH_TEXT(name) name "ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

template <class Function>
void FindIn(void* library, const std::string& type, const std::string& name, Function*& function) {
  void* const found = dlsym(library, ("_ZN7vizdoom" + type + name).c_str());
  if (found == nullptr) throw std::runtime_error("ViZDoom's library lacks " + type + name);
  function = reinterpret_cast<Function*>(found);
}

template <class Function>
void Find(void* library, const std::string& name, Function*& function) {
  FindIn(library, "8DoomGame", name, function);
}

template <class Function>
void FindOfController(void* library, const std::string& name, Function*& function) {
  FindIn(library, "14DoomController", name, function);
}

DoomLibrary Load(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    throw std::runtime_error(std::string("ViZDoom's library does not load: ") + dlerror());
  }
  DoomLibrary doom = {};
  Find(library, "C1Ev", doom.construct);
  Find(library, "D1Ev", doom.destroy);
  Find(library, ENVPOOL_WITH_TEXT("10loadConfig"), doom.load_config);
  Find(library, ENVPOOL_WITH_TEXT("14setViZDoomPath"), doom.set_engine_path);
  Find(library, ENVPOOL_WITH_TEXT("15setDoomGamePath"), doom.set_game_path);
  Find(library, ENVPOOL_WITH_TEXT("17setDoomConfigPath"), doom.set_settings_path);
  Find(library, ENVPOOL_WITH_TEXT("19setDoomScenarioPath"), doom.set_scenario_path);
  Find(library, ENVPOOL_WITH_TEXT("10setDoomMap"), doom.set_map);
  Find(library, ENVPOOL_WITH_TEXT("11addGameArgs"), doom.add_arguments);
  Find(library, "16setWindowVisibleEb", doom.set_window_visible);
  Find(library, "7setModeENS_4ModeE", doom.set_mode);
  Find(library, "7setSeedEj", doom.set_seed);
  Find(library, "17setEpisodeTimeoutEj", doom.set_timeout);
  Find(library, "19setScreenResolutionENS_16ScreenResolutionE", doom.set_resolution);
  Find(library, "15setScreenFormatENS_12ScreenFormatE", doom.set_screen_format);
  Find(library, "19setAvailableButtonsESt6vectorINS_6ButtonESaIS2_EE", doom.set_buttons);
  Find(library, "18setAudioBufferSizeEi", doom.set_audio_tics);
  Find(library, "26setNotificationsBufferSizeEi", doom.set_notification_tics);
  Find(library, "24addAvailableGameVariableENS_12GameVariableE", doom.add_variable);
  Find(library, "25getAvailableGameVariablesEv", doom.variables);
  Find(library, "19getAvailableButtonsEv", doom.buttons);
  Find(library, "14getScreenWidthEv", doom.screen_width);
  Find(library, "15getScreenHeightEv", doom.screen_height);
  Find(library, "17getScreenChannelsEv", doom.screen_channels);
  Find(library, "15getScreenFormatEv", doom.screen_format);
  Find(library, "20isDepthBufferEnabledEv", doom.has_depth);
  Find(library, "21isLabelsBufferEnabledEv", doom.has_labels);
  Find(library, "22isAutomapBufferEnabledEv", doom.has_automap);
  Find(library, "20isAudioBufferEnabledEv", doom.has_audio);
  Find(library, "28isNotificationsBufferEnabledEv", doom.has_notifications);
  Find(library, "20getAudioSamplingRateEv", doom.audio_rate);
  Find(library, "4initEv", doom.init);
  Find(library, "5closeEv", doom.close);
  Find(library, "9isRunningEv", doom.is_running);
  Find(library, ENVPOOL_WITH_TEXT("10newEpisode"), doom.new_episode);
  Find(library, "9setActionERKSt6vectorIdSaIdEE", doom.set_action);
  Find(library, "13advanceActionEjb", doom.advance);
  Find(library, "17isEpisodeFinishedEv", doom.is_episode_finished);
  Find(library, "23isEpisodeTimeoutReachedEv", doom.is_timeout_reached);
  Find(library, "13getLastRewardEv", doom.last_reward);
  Find(library, "12isPlayerDeadEv", doom.is_player_dead);
  Find(library, "8getStateEv", doom.state);
  FindOfController(library, "13getInstanceIdB5cxx11Ev", doom.instance_id);
  FindOfController(library, "11getIwadPathB5cxx11Ev", doom.game_path);
  FindOfController(library, "11getFilePathB5cxx11Ev", doom.scenario_path);
  FindOfController(library, "6getMapB5cxx11Ev", doom.map);
  FindOfController(library, ENVPOOL_WITH_TEXT("12addCustomArg"), doom.add_argument);
  FindOfController(library, "15getNextDoomSeedEv", doom.next_engine_seed);
  FindOfController(library, "12getGameStateEv", doom.shared_state);
  return doom;
}

#undef ENVPOOL_WITH_TEXT

// More words than a vizdoom::DoomController has.
constexpr std::size_t kControllerWords = 1024;

// The engine's state, as long as there is none: nothing is being recorded.
alignas(64) constinit std::array<std::byte, 1 << 20> no_state = {};

}  // namespace

// The library's controller closes itself when its engine ends while it starts, and asks a state for
// that which it has not got yet: the process would end with a segmentation fault. Where the
// controller has its pointer to the state is found by asking one whose words say where they are.
void DoomLibrary::ExpectNoState(DoomController* controller) const {
  std::array<std::uintptr_t, kControllerWords> words;
  std::iota(words.begin(), words.end(), std::uintptr_t{0});
  const auto place = reinterpret_cast<std::uintptr_t>(
      shared_state(reinterpret_cast<DoomController*>(words.data())));
  if (place >= words.size()) throw std::runtime_error("ViZDoom's library is not as expected");
  reinterpret_cast<void**>(controller)[place] = no_state.data();
}

const DoomLibrary& DoomLibrary::Get() {
  // No lock, which might be held for ever in a forked child; of two first threads both load it.
  static std::atomic<const DoomLibrary*> loaded = nullptr;
  const DoomLibrary* found = loaded.load();
  if (found == nullptr) {
    auto made = std::make_unique<const DoomLibrary>(Load(LibraryPath()));
    if (loaded.compare_exchange_strong(found, made.get())) found = made.release();
  }
  return *found;
}

}  // namespace envpool::vizdoom
