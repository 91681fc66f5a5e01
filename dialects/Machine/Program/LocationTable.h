// The table of locations of a program under construction.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SYSTOLE_DIALECTS_MACHINE_PROGRAM_LOCATIONTABLE_H
#define SYSTOLE_DIALECTS_MACHINE_PROGRAM_LOCATIONTABLE_H

#include <map>
#include <tuple>

#include "dialects/Machine/Program/Program.h"

namespace systole {

// Each location once, in the order of first use.
class LocationTable {
public:
  LocationTable() = default;
  // Starts with the locations that `header` has already.
  explicit LocationTable(const program::ProgramHeader &header) {
    for (const program::Location &location : header.locations())
      places.try_emplace({location.source(), location.user(), location.name_stack()},
                         int32_t(places.size()) + 1);
  }

  // Returns the reference to an entry: 1 + its index, or 0 for a location without any text.
  int32_t add(program::ProgramHeader &header, const program::Location &location) {
    if (location.source().empty() && location.user().empty() && location.name_stack().empty())
      return 0;
    auto [place, isNew] = places.try_emplace(
        {location.source(), location.user(), location.name_stack()}, header.locations_size() + 1);
    if (isNew)
      *header.add_locations() = location;
    return place->second;
  }

private:
  std::map<std::tuple<std::string, std::string, std::string>, int32_t> places;
};

} // namespace systole

#endif // SYSTOLE_DIALECTS_MACHINE_PROGRAM_LOCATIONTABLE_H
