#include "kernels/auto/candidate_forms.hpp"
#include "kernels/auto/forms_name.hpp"

#include <gtest/gtest.h>

#include "selector/paths.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/tile_rows.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

constexpr const char* kFull = "block-dense:n=320,block=16,blocks_per_row=3";

TEST(CandidateForms, ConvertOnceWhenTilesAreAskedFor) {
    const auto csr = generate<double>(kFull);
    CandidateForms<double> forms(MatrixForms<double>{&csr});
    EXPECT_EQ(&forms.csr(), &csr);
    EXPECT_EQ(&forms.of(Form::csr).csr(), &csr);
    EXPECT_EQ(forms.of(Form::csr).find<TileMatrix<double>>(), nullptr);
    const auto* tiles = &forms.of(Form::tiles).tiles();
    EXPECT_EQ(&forms.of(Form::tiles).tiles(), tiles);
    EXPECT_EQ(&forms.of(Form::tiles).csr(), &csr) << "for a map of values";
    EXPECT_EQ(unpack(*tiles), csr);
    EXPECT_EQ(cuda::paths_by_format(*tiles), cuda::Paths(20, cuda::Path::dense));
}

TEST(CandidateForms, UnpackTilesOnceWhereTheyAreAlone) {
    const auto csr = generate<float>(kFull);
    const auto tiles = convert(csr, *make_policy(kDefaultSelector));
    CandidateForms<float> forms(MatrixForms<float>{&tiles});
    EXPECT_EQ(forms.csr(), csr);
    EXPECT_EQ(&forms.of(Form::csr).csr(), &forms.csr());
    EXPECT_EQ(&forms.of(Form::tiles).csr(), &forms.csr());
}

TEST(CandidateForms, TakeStripsThatAreThereAndUnpackThemOnce) {
    const auto csr = generate<double>("fem:n=4,dof=3");
    const auto strips = make_strip_matrix(csr);
    CandidateForms<double> forms(MatrixForms<double>{&strips});
    EXPECT_EQ(forms.csr(), csr);
    EXPECT_EQ(forms.of(Form::csr).find<StripMatrix<double>>(), &strips);
    EXPECT_EQ(&forms.of(Form::csr).csr(), &forms.csr());
    EXPECT_EQ(CandidateForms<double>(MatrixForms<double>{&csr}).of(Form::csr).find<StripMatrix<double>>(), nullptr);
}

TEST(CandidateForms, NeedAForm) {
    EXPECT_EQ(test::message_of([] { CandidateForms<double> forms(MatrixForms<double>{}); }),
              "1: an operator was to be made without the form of the matrix that it is made from");
}

TEST(FormsName, TellsApartWhatAnOperatorIsMadeFrom) {
    const auto csr = generate<double>("fem:n=4,dof=3");
    const auto tiles = convert(csr, *make_policy("bytes"));
    const auto other_tiles = convert(csr, *make_policy("only:coo"));
    const auto strips = make_strip_matrix(csr);
    const auto name = [](const MatrixForms<double>& forms) { return forms_name(forms); };
    EXPECT_EQ(name({&csr}), "csr");
    EXPECT_EQ(name({&csr, &tiles}), "csr, tiles of " + std::to_string(tiles.bytes()) + " bytes");
    EXPECT_EQ(name({&tiles, &csr}), name({&csr, &tiles})) << "whatever the order";
    EXPECT_NE(name({&csr, &tiles}), name({&csr, &other_tiles}));
    EXPECT_EQ(name({&strips}), "strips");
    EXPECT_EQ(name({&csr, &strips}), "csr, strips");
}

}  // namespace
}  // namespace tilespmv
