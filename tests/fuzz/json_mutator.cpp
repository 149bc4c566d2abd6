#include "tests/fuzz/json_mutator.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace tilespmv::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLargest = 1.7976931348623157e308;

/// Values at the ends of ranges, and of other types.
const std::vector<Json>& odd_values() {
    static const std::vector<Json> all{nullptr,
                                       true,
                                       "",
                                       "\x1b[31m",
                                       "\xe2\x80\xae",
                                       "csr-omp",
                                       "no-such-operator:option=1",
                                       "0",
                                       "1 2 3",
                                       "-9223372036854775808 1",
                                       Json::array(),
                                       Json::object(),
                                       0,
                                       -1,
                                       0.5,
                                       1,
                                       2,
                                       1024,
                                       2147483647,
                                       2147483648,
                                       4294967296,
                                       9007199254740993,
                                       INT64_MAX,
                                       9223372036854775808U,
                                       UINT64_MAX,
                                       INT64_MIN,
                                       5e-324,
                                       1e-300,
                                       1e18,
                                       1e300,
                                       kLargest,
                                       -kLargest};
    return all;
}

void collect(Json& value, std::vector<Json*>& all) {
    all.push_back(&value);
    if (!value.is_structured()) return;
    for (auto& one : value) collect(one, all);
}

}  // namespace

void JsonMutator::replace(Json& value) { value = odd_values()[below(odd_values().size())]; }

void JsonMutator::edit_number(Json& number) {
    static constexpr std::array<double, 10> kFactors{-1, 0, 0.5, 2, 10, 1e-3, 1e6, 1e-12, 1e15, 1e200};
    const double value = number.get<double>() * kFactors[below(kFactors.size())];
    const bool is_whole = number.is_number_integer() && std::abs(value) < 9e18;
    number = is_whole ? Json(static_cast<std::int64_t>(value)) : Json(std::clamp(value, -kLargest, kLargest));
}

void JsonMutator::edit_array(Json& array) {
    if (array.empty()) return replace(array);
    const auto at = static_cast<std::ptrdiff_t>(below(array.size()));
    const Json one = array[static_cast<std::size_t>(at)];
    switch (below(5)) {
        case 0:
            array.erase(array.begin() + at);
            break;
        case 1:
            array.insert(array.begin() + at, one);
            break;
        case 2:
            array.insert(array.end(), std::size_t{1} << below(10), one);
            break;
        case 3:
            std::swap(array[static_cast<std::size_t>(at)], array[below(array.size())]);
            break;
        default:
            array = Json::array();
    }
}

void JsonMutator::edit_object(Json& object, const Json& other) {
    if (object.empty()) return replace(object);
    const auto at = std::next(object.begin(), static_cast<std::ptrdiff_t>(below(object.size())));
    if (below(2) == 0)
        object.erase(at);
    else
        *at = Json(other);
}

/// Lists of numbers are texts, too.
void JsonMutator::edit_text(Json& text) {
    auto edited = text.get<std::string>();
    edit_bytes(edited, 10);
    text = std::all_of(edited.begin(), edited.end(), [](char c) { return c >= 0; }) ? edited : "";
}

void JsonMutator::edit_value(Json& root) {
    std::vector<Json*> all;
    collect(root, all);
    Json& value = *all[below(all.size())];
    if (below(4) == 0) return replace(value);
    if (value.is_number()) return edit_number(value);
    if (value.is_array()) return edit_array(value);
    if (value.is_string()) return edit_text(value);
    if (value.is_object()) return edit_object(value, Json(*all[below(all.size())]));
    replace(value);
}

void JsonMutator::edit_bytes(std::string& text, std::size_t doublings) {
    static constexpr std::array<std::string_view, 14> kWords{"[",    "]", "{", "}",   "\"",  ",",       ":",
                                                             "null", "-", "9", "e99", "e-9", "\\u0000", " "};
    const std::size_t place = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - place, 40) + 1);
    switch (below(4)) {
        case 0:
            text.insert(place, kWords[below(kWords.size())]);
            break;
        case 1:
            text.erase(place, length);
            break;
        case 2:
            text.insert(place, std::size_t{1} << below(doublings), kWords[below(4)].front());
            break;
        default:
            if (place < text.size()) text[place] = static_cast<char>(text[place] ^ 1 << below(7));
    }
}

std::string JsonMutator::mutate(std::string_view text) {
    Json json = Json::parse(text);
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) edit_value(json);
    std::string spoilt = json.dump();
    if (below(8) == 0) edit_bytes(spoilt, 18);
    return spoilt;
}

}  // namespace tilespmv::test
