// In place of SDL: names that the engine's sources use, for pictures that have no pixels. The
// engine loads a picture for everything that it would show, also where it shows nothing.
#pragma once

#include <cstdint>

using Uint8 = std::uint8_t;
using Uint16 = std::uint16_t;
using Uint32 = std::uint32_t;

struct SDL_PixelFormat {
  Uint32 format;
  Uint8 BytesPerPixel;
};

struct SDL_Surface {
  SDL_PixelFormat* format;
  int w, h, pitch;
  void* pixels;
};

struct SDL_Rect {
  int x, y, w, h;
};

struct SDL_Color {
  Uint8 r, g, b, a;
};

struct SDL_RWops {};
struct TTF_Font {};

inline constexpr int SDL_BIG_ENDIAN = 4321;
#define SDL_BYTEORDER 1234
inline constexpr Uint32 SDL_SWSURFACE = 0;
inline constexpr Uint32 SDL_RLEACCEL = 0;
inline constexpr Uint32 SDL_PIXELFORMAT_RGB24 = 0;
inline constexpr Uint32 SDL_PIXELFORMAT_BGR24 = 1;
inline constexpr Uint32 SDL_PIXELFORMAT_ARGB8888 = 2;
inline constexpr Uint32 SDL_PIXELFORMAT_ABGR8888 = 3;

inline SDL_Surface* SDL_CreateRGBSurface(Uint32, int, int, int, Uint32, Uint32, Uint32, Uint32) {
  static SDL_PixelFormat format = {SDL_PIXELFORMAT_RGB24, 3};
  return new SDL_Surface{&format, 1, 1, 0, nullptr};
}
inline SDL_Surface* NewSurface() { return SDL_CreateRGBSurface(0, 1, 1, 0, 0, 0, 0, 0); }
inline SDL_Surface* SDL_ConvertSurface(SDL_Surface*, SDL_PixelFormat*, Uint32) {
  return NewSurface();
}
inline SDL_Surface* SDL_ConvertSurfaceFormat(SDL_Surface*, Uint32, Uint32) { return NewSurface(); }
inline SDL_Surface* SDL_LoadBMP_RW(SDL_RWops*, int) { return NewSurface(); }
inline SDL_Surface* zoomSurface(SDL_Surface*, double, double, int) { return NewSurface(); }
inline void SDL_FreeSurface(SDL_Surface* surface) { delete surface; }
inline void SDL_LockSurface(SDL_Surface*) {}
inline void SDL_UnlockSurface(SDL_Surface*) {}
inline void SDL_FillRect(SDL_Surface*, const SDL_Rect*, Uint32) {}
inline void SDL_BlitSurface(SDL_Surface*, const SDL_Rect*, SDL_Surface*, SDL_Rect*) {}
inline bool SDL_ISPIXELFORMAT_ALPHA(Uint32) { return false; }
inline Uint32 SDL_MapRGB(const SDL_PixelFormat*, Uint8, Uint8, Uint8) { return 0; }
inline Uint32 SDL_MapRGBA(const SDL_PixelFormat*, Uint8, Uint8, Uint8, Uint8) { return 0; }
inline SDL_RWops* SDL_RWFromConstMem(const void*, int) { return nullptr; }
inline void SDL_Quit() {}

inline TTF_Font* TTF_OpenFontIndexRW(SDL_RWops*, int, int, long) {
  static TTF_Font font;
  return &font;
}
inline void TTF_Init() {}
inline void TTF_Quit() {}
inline void TTF_CloseFont(TTF_Font*) {}
inline void TTF_SetFontOutline(TTF_Font*, int) {}
inline int TTF_GetFontOutline(TTF_Font*) { return 0; }
inline SDL_Surface* TTF_RenderUTF8_Blended(TTF_Font*, const char*, SDL_Color) {
  return NewSurface();
}
inline void TTF_SizeUTF8(TTF_Font*, const char*, int* width, int* height) { *width = *height = 1; }
