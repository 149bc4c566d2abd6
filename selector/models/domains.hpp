#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "selector/models/probe.hpp"

namespace tilespmv {

inline constexpr double kEndless = std::numeric_limits<double>::infinity();

/// Sizes n of vectors, from <= n < to, in which the same bounds the time of a kernel, or some of them.
struct Domain {
    std::string name;  ///< "launch", "wave", "cache", "mixed" or "memory"
    double from = 0;
    double to = kEndless;

    friend bool operator==(const Domain&, const Domain&) = default;
};

/// The domains of a kernel that moves so many bytes for each n, from n = 0 on, without gaps. They end, at the nearest
/// size that is measured, where the bytes take as long as a launch (launch), where threads of one element each are all
/// resident (wave), where vectors fill the cache (cache), and where nothing of them is left in it (mixed; twice its
/// size). One with less than a factor of two between its ends is part of the next. Up to twice the begin of what is
/// read from memory they are cut into pieces of the same name, from a size that is measured to the next: times follow
/// no longer line, as shapes slow down where the blocks of two launches no longer fit at once, each at a size of its
/// own (`bench/NOTES.md`, "Launch shapes").
std::vector<Domain> domains_of(const Probe& probe, double bytes_per_element);

/// Sizes to measure at, those of all domains together, all odd: from 1,001 by factors of the square root of 2, of its
/// square root between 64,000 and 8.2 million, to 33 million, to four times the begin of the last domain if that is
/// more, and as far as vectors take a quarter of the memory. They do not depend on the kernel but by that.
std::vector<std::size_t> sizes_to_measure(const std::vector<Domain>& domains, const Probe& probe,
                                          double bytes_per_element);

}  // namespace tilespmv
