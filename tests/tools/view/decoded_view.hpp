#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>
#include <nlohmann/json.hpp>

#include "tile/types.hpp"

namespace tilespmv::test {

/// The data of a page of `view`, as its script reads it.
class DecodedView {
public:
    explicit DecodedView(const std::string& page) {
        const std::string begin = R"(<script type="application/json" id="data">)";
        const auto from = page.find(begin) + begin.size();
        json = nlohmann::json::parse(page.substr(from, page.find("</script", from) - from));
        read_sections(inflated(bytes_of(json["base64"].get<std::string>())));
        read_tree();
    }

    struct Tile {
        std::array<unsigned, kTileSize> masks{};
        int format = 0;
        int part = 0;
        int slots = 0;
        std::string reason;
        std::vector<int> bytes;  ///< in each format beyond its values; 65535: impossible
    };
    using Place = std::pair<index_t, index_t>;

    nlohmann::json json;
    std::map<Place, Tile> tiles;                   ///< in detail
    std::map<Place, std::array<offset_t, 4>> cut;  ///< others: nonzeros, tiles, format, formats
    offset_t nnz = 0;

    /// All nonzeros in detail.
    [[nodiscard]] std::set<Place> positions() const {
        std::set<Place> all;
        for (const auto& [place, tile] : tiles) {
            for (int r = 0; r < kTileSize; ++r) {
                for (int c = 0; c < kTileSize; ++c) {
                    if (tile.masks[static_cast<std::size_t>(r)] >> c & 1u)
                        all.emplace(place.first * kTileSize + r, place.second * kTileSize + c);
                }
            }
        }
        return all;
    }
    [[nodiscard]] const std::string& section(const std::string& name) const { return sections_.at(name); }

    /// Numbers as `append_number` writes them.
    static std::vector<std::uint64_t> numbers(const std::string& bytes) {
        std::vector<std::uint64_t> all;
        std::uint64_t number = 0;
        int shift = 0;
        for (const char c : bytes) {
            number |= std::uint64_t{static_cast<unsigned char>(c) & 127u} << shift;
            shift += 7;
            if ((static_cast<unsigned char>(c) & 128u) != 0) continue;
            all.push_back(number);
            number = 0;
            shift = 0;
        }
        return all;
    }

private:
    static std::string bytes_of(const std::string& text) {
        const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        std::string bytes;
        std::uint32_t bits = 0;
        int held = 0;
        for (const char c : text) {
            if (c == '=') break;
            bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
            held += 6;
            if (held < 8) continue;
            held -= 8;
            bytes += static_cast<char>(bits >> held & 255u);
        }
        return bytes;
    }

    static std::string inflated(const std::string& packed) {
        for (std::size_t room = 1 << 20;; room *= 4) {
            std::string bytes(room, '\0');
            uLongf size = room;
            const int done = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                                        reinterpret_cast<const Bytef*>(packed.data()), packed.size());
            if (done == Z_OK) return bytes.substr(0, size);
            if (done != Z_BUF_ERROR) throw std::runtime_error("damaged data");
        }
    }

    void read_sections(const std::string& bytes) {
        std::size_t at = 0;
        for (const auto& one : json["sections"]) {
            const auto size = one[1].get<std::size_t>();
            sections_[one[0]] = bytes.substr(at, size);
            at += size;
        }
        if (at != bytes.size()) throw std::runtime_error("the sections are not all of the data");
    }

    /// Of a section, read once.
    const std::vector<std::uint64_t>& numbers_of(const std::string& name) {
        const auto known = numbers_.find(name);
        return known != numbers_.end() ? known->second : numbers_[name] = numbers(section(name));
    }
    [[nodiscard]] unsigned byte(const std::string& name, std::size_t i) const {
        return static_cast<unsigned char>(section(name).at(i));
    }
    [[nodiscard]] unsigned two_bytes(const std::string& name, std::size_t i) const {
        return byte(name, 2 * i) | byte(name, 2 * i + 1) << 8;
    }

    /// Cells of a level, at all of their places.
    using Level = std::vector<std::set<Place>>;

    void read_tree() {
        const auto counts = json["counts"].get<std::vector<std::size_t>>();
        if (counts.front() == 0) return;
        const auto links = numbers(section("links"));
        Level level(counts.front());
        level[0].emplace(0, 0);
        std::size_t cell = 0;
        std::size_t link = 0;
        for (std::size_t l = 0; l + 1 < counts.size(); ++l) {
            Level below(counts[l + 1]);
            std::size_t next = 0;
            for (const std::set<Place>& places : level) {
                const unsigned code = byte("cells", cell++);
                if (code == 0) add_summary(places);
                for (unsigned q = 0; q < 4; ++q) {
                    if ((code >> q & 1u) == 0) continue;
                    const std::size_t id = (code >> q & 16u) != 0 ? next++ : next - links.at(link++);
                    for (const auto& [r, c] : places)
                        below.at(id).emplace(2 * r + static_cast<index_t>(q / 2), 2 * c + static_cast<index_t>(q % 2));
                }
            }
            level = std::move(below);
        }
        std::size_t shape = 0;
        for (std::size_t i = 0; i < level.size(); ++i) {
            const bool is_summary = !section("kinds").empty() && byte("kinds", i) != 0;
            is_summary ? add_summary(level[i]) : add_tiles(shape++, level[i]);
        }
        if (cell != section("cells").size() || link != links.size()) throw std::runtime_error("more than the tree");
    }

    void add_summary(const std::set<Place>& places) {
        std::array<offset_t, 4> summary{};
        const std::array names{"cut_nnz", "cut_tiles", "cut_format", "cut_formats"};
        for (std::size_t i = 0; i < names.size(); ++i)
            summary[i] = static_cast<offset_t>(numbers_of(names[i]).at(next_summary_));
        ++next_summary_;
        for (const Place& place : places) {
            cut[place] = summary;
            nnz += summary[0];
        }
    }

    void add_tiles(std::size_t shape, const std::set<Place>& places) {
        Tile tile;
        offset_t held = 0;
        for (std::size_t r = 0; r < kTileSize; ++r) {
            tile.masks[r] = two_bytes("masks", kTileSize * shape + r);
            held += std::popcount(tile.masks[r]);
        }
        tile.format = static_cast<int>(byte("formats", shape));
        tile.part = static_cast<int>(byte("parts", shape));
        tile.slots = static_cast<int>(byte("slots", shape));
        tile.reason = json["reasons"].at(numbers_of("reasons").at(shape));
        for (std::size_t f = 0; f + 1 < json["formats"].size(); ++f)
            tile.bytes.push_back(static_cast<int>(two_bytes("bytes" + std::to_string(f), shape)));
        for (const Place& place : places) {
            tiles[place] = tile;
            nnz += held;
        }
    }

    std::map<std::string, std::string> sections_;
    std::map<std::string, std::vector<std::uint64_t>> numbers_;
    std::size_t next_summary_ = 0;
};

}  // namespace tilespmv::test
