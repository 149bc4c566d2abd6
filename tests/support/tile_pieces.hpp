#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "kernels/operators/tile/tile_pieces.hpp"

namespace tilespmv::testing {

/// Does with numbers of pieces what a GPU does with their sums, a piece after the other.
class PieceReader {
public:
    explicit PieceReader(const cuda::TilePieces& of) : of_(of), places_(of.places) {}

    /// `at`: where the pieces of a tile row stand, in the order in which warps start. Expects that all of them are
    /// added up, in this order, by the last one, and that none waits for a later one.
    void expect_complete(std::uint32_t tile_row, const std::vector<std::uint32_t>& at) {
        std::vector<std::uint32_t> total;
        for (std::uint32_t i = 0; i < at.size(); ++i) {
            EXPECT_TRUE(total.empty()) << "complete before piece " << i;
            total = pass(tile_row, at[i], i);
        }
        std::vector<std::uint32_t> all(at.size());
        for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
        EXPECT_EQ(total, all) << "tile row " << tile_row;
    }

    /// As a product leaves them for the next one.
    void expect_no_place_taken() const {
        for (const auto& place : places_) EXPECT_FALSE(place.has_value());
    }

private:
    /// The numbers of the tile row, or nothing if they are not complete with this one.
    std::vector<std::uint32_t> pass(std::uint32_t tile_row, std::uint32_t at, std::uint32_t number) {
        std::vector<std::uint32_t> sum{number};
        for (std::int64_t next = at; next >= 0;) {
            const auto& piece = of_.pieces.at(static_cast<std::size_t>(next));
            EXPECT_EQ(piece.tile_row, tile_row);
            EXPECT_LT(piece.takes, static_cast<std::int32_t>(cuda::TilePiece::kMost));
            if (piece.takes == cuda::TilePiece::kLeaves) {
                EXPECT_FALSE(places_.at(piece.place).has_value());
                places_.at(piece.place) = sum;
                return {};
            }
            std::vector<std::uint32_t> group;
            for (std::uint32_t p = piece.place - static_cast<std::uint32_t>(piece.takes); p < piece.place; ++p) {
                EXPECT_TRUE(places_.at(p).has_value()) << "waits for a later piece";
                if (places_.at(p)) group.insert(group.end(), places_[p]->begin(), places_[p]->end());
                places_.at(p).reset();
            }
            group.insert(group.end(), sum.begin(), sum.end());
            sum = group;
            next = piece.next;
        }
        return sum;
    }

    const cuda::TilePieces& of_;
    std::vector<std::optional<std::vector<std::uint32_t>>> places_;
};

}  // namespace tilespmv::testing
