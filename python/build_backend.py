"""Makes the wheel, by PEP 517 and without a network: CMake builds the module, and its shared libraries come along.

What the wheel takes from its machine is the C and C++ runtimes alone, of Debian 12 or later.

    build_backend.py FOLDER [BUILD]    writes the wheel into FOLDER, from the build in BUILD if that is given
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
RUNTIME = re.compile(r"(ld-linux|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)\b")
TIME = (1980, 1, 1, 0, 0, 0)  # the same files give the same wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = (config_settings or {}).get("build") or configure_and_build()
    return write_wheel(pathlib.Path(wheel_directory), pathlib.Path(build) / "python" / "onceover")


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the sources are one repository; clone it")


def configure_and_build():
    build = ROOT / "build" / "python"
    run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DONCEOVER_TESTS=OFF",
        "-DONCEOVER_PYTHON_MODULE=ON", f"-DONCEOVER_PYTHON_EXECUTABLE={sys.executable}")
    run("cmake", "--build", build, "--target", "onceover_python_stubs")
    return build


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def version():
    return re.search(r"^project\(onceover VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


def libraries_of(module):
    """The shared libraries that the module needs, directly or not, but for those that every machine has."""
    lines = subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout.splitlines()
    found = [re.match(r"\s*(\S+) => (/\S+)", line) for line in lines]
    return {m[1]: pathlib.Path(m[2]) for m in found if m and not RUNTIME.match(m[1])}


def write_wheel(folder, package):
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    files = {f"onceover/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()}
    module = next(path for path in package.iterdir() if path.name.startswith("_onceover.") and path.suffix == ".so")
    files |= {f"onceover/libs/{name}": path.read_bytes() for name, path in libraries_of(module).items()}
    about = f"onceover-{version()}.dist-info"
    files[f"{about}/METADATA"] = metadata(project).encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: onceover\nRoot-Is-Purelib: false\nTag: {tag}-{tag}-{platform}\n".encode()
    files[f"{about}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    wheel = f"onceover-{version()}-{tag}-{tag}-{platform}.whl"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def metadata(project):
    extras = "".join(f"Provides-Extra: {extra}\n" + "".join(f"Requires-Dist: {need}; extra == '{extra}'\n" for need in needs)
                     for extra, needs in project["optional-dependencies"].items())
    return (f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version()}\nSummary: {project['description']}\n"
            f"Requires-Python: {project['requires-python']}\n{extras}")


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(os.path.join(sys.argv[1], build_wheel(sys.argv[1], {"build": sys.argv[2]} if len(sys.argv) > 2 else None)))
