// Samples: the pictures of which levels by wave function collapse are made, and how, as
// minigrid/envs/wfc/config.py has it. minigrid's repository has them as PNG, its wheel has not.
#pragma once

#include <array>
#include <string_view>

namespace envpool::minigrid::wfc {

struct Sample {
  std::string_view name;
  int pattern_width;       // in cells, as its height
  bool is_periodic;        // true if levels go on at the opposite border
  int side;                // columns and rows of the picture
  std::string_view cells;  // row by row; # is a wall
};

inline constexpr std::array<Sample, 6> kSamples = {
    Sample{"MazeSimple", 2, false, 4,
           "...."
           ".###"
           ".#.#"
           ".###"},
    Sample{"DungeonMazeScaled", 2, true, 8,
           "........"
           "........"
           "..######"
           "..######"
           "..##..##"
           "..##..##"
           "..######"
           "..######"},
    Sample{"RoomsFabric", 3, false, 5,
           "..#.."
           "....."
           "#####"
           "....."
           "..#.."},
    Sample{"ObstaclesBlackdots", 2, false, 3,
           "..."
           ".#."
           "..."},
    Sample{"ObstaclesAngular", 3, true, 11,
           "..........."
           ".....#####."
           ".....#####."
           ".....#####."
           ".....#####."
           ".#########."
           ".#########."
           ".#########."
           ".#########."
           ".#########."
           "..........."},
    Sample{"ObstaclesHogs3", 3, true, 17,
           "................."
           ".......#....#...."
           "..#...###..###..."
           ".###...#....#...."
           "..#.............."
           ".........#......."
           "....#...###...#.."
           "...###...#...###."
           "....#.........#.."
           "................."
           ".......#....#...."
           "..#...###..###..."
           ".###...#....#...."
           "..#..#...#....#.."
           "....###.###..###."
           ".....#...#....#.."
           "................."},
};

}  // namespace envpool::minigrid::wfc
