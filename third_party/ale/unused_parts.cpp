// Stands in for parts of the Arcade Learning Environment that every game constructs and that we
// never use: averaging of colours, whose tables take 60 ms to make, and PNG files, which need zlib.
#include <stdexcept>

#include "ale/common/ScreenExporter.hpp"
#include "ale/environment/phosphor_blend.hpp"

namespace ale {

namespace {

[[noreturn]] void Refuse() { throw std::logic_error("this part of ALE is not built"); }

}  // namespace

PhosphorBlend::PhosphorBlend(stella::OSystem* system) : m_osystem(system) {}
void PhosphorBlend::process(ALEScreen&) { Refuse(); }

ScreenExporter::ScreenExporter(ColourPalette& palette) : m_palette(palette) { Refuse(); }
ScreenExporter::ScreenExporter(ColourPalette& palette, const std::string&) : m_palette(palette) {
  Refuse();
}
void ScreenExporter::save(const ALEScreen&, const std::string&) const { Refuse(); }
void ScreenExporter::saveNext(const ALEScreen&) { Refuse(); }

}  // namespace ale
