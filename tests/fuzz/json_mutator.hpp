#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tilespmv::test {

/// Spoils JSON texts at random: values of the parsed one, which stays JSON, and then perhaps bytes.
class JsonMutator {
public:
    explicit JsonMutator(std::uint64_t seed) : random_(seed) {}

    std::string mutate(std::string_view text);
    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

private:
    using Json = nlohmann::ordered_json;

    void edit_value(Json& root);
    void replace(Json& value);
    void edit_number(Json& number);
    void edit_array(Json& array);
    void edit_object(Json& object, const Json& other);
    void edit_text(Json& text);
    /// Inserts at most 2^doublings bytes.
    void edit_bytes(std::string& text, std::size_t doublings);

    std::mt19937_64 random_;
};

}  // namespace tilespmv::test
