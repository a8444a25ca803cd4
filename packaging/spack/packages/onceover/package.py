"""Onceover for Spack. It is built from a checkout; from the repository's folder:

spack repo add packaging/spack
spack dev-build onceover@main
"""

from spack.package import *


class Onceover(CMakePackage):
    """Formal verifier for schedules of collective communication."""

    # dev-build builds the checkout that it is run in: there is nothing to fetch.
    version("main")

    license("MIT")

    variant("draw", default=True, description="Graphviz and librsvg, with which verify draws")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("boost@1.74: +graph +regex")
    depends_on("cli11@2.1:")
    depends_on("expat")
    depends_on("fmt@9:")
    depends_on("nettle")
    depends_on("nlohmann-json@3.11:")
    depends_on("tl-expected")
    depends_on("tomlplusplus@3:")
    depends_on("z3@4.8:")
    depends_on("graphviz", type="run", when="+draw")
    depends_on("librsvg", type="run", when="+draw")

    conflicts("%gcc@:11", msg="C++20 needs GCC 12 or later")

    generator("ninja")

    def cmake_args(self):
        return [self.define("ONCEOVER_TESTS", False)]
