"""Libraries that do not fit to this envpool: each is an ImportError that tells why."""

import platform
import shutil
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path

import pytest

from building import (
    REGISTERED,
    WALK,
    compile_walk,
    load_walk,
    needs_compiler,
    other_headers,
    sdk_folder,
)
from envpool import _core
from envpool.errors import ArgumentError

pytestmark = needs_compiler


def test_the_sdk_is_where_scikit_build_core_looks_for_it() -> None:
    (root,) = (entry for entry in entry_points(group="cmake.root") if entry.name == "envpool")
    assert Path(str(files(root.load()))) == sdk_folder() / "cmake"
    assert (sdk_folder() / "cmake" / "envpoolConfig.cmake").is_file()
    assert (sdk_folder() / "include" / "envpool" / "family.h").is_file()


@pytest.mark.long
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_a_library_of_the_same_sdk_loads(tmp_path: Path, compiler: str) -> None:
    """Also of another compiler, if it uses the same standard library."""
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    compile_walk(tmp_path, WALK + REGISTERED, compiler=compiler)
    assert load_walk(tmp_path) == "['Walk']"


# Each of these once was a crash, another library's error, or nothing at all.
HEADERS = {
    "another version": ("abi.h", r"kSdkVersion = \d+;", "kSdkVersion = 8;", "built for version 8 "),
    "a member more": (
        "env_type.h",
        r"(  std::uint32_t state_version)",
        r"  std::string author = {};\n\1",
        "headers that it was built with are not those of that version",
    ),
    "members in another order": (
        "field.h",
        r"(  Bounds low = .*\n)(  Bounds high = .*\n)",
        r"\2\1",
        "headers that it was built with are not those of that version",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("accident", HEADERS)
def test_other_headers(tmp_path: Path, accident: str) -> None:
    header, pattern, replacement, said = HEADERS[accident]
    headers = other_headers(tmp_path, header, pattern, replacement)
    compile_walk(tmp_path, WALK + REGISTERED, headers=headers)
    _expect_refusal(tmp_path, said)


@pytest.mark.long
@pytest.mark.parametrize("flag", ["-D_GLIBCXX_USE_CXX11_ABI=0", "-D_GLIBCXX_DEBUG"])
def test_another_standard_library(tmp_path: Path, flag: str) -> None:
    compile_walk(tmp_path, WALK + REGISTERED, flag)
    _expect_refusal(tmp_path, f"libstdc++ {flag}")


def _expect_refusal(folder: Path, said: str) -> None:
    error = load_walk(folder)
    assert error.startswith("ImportError: the native library _walk does not load: ")
    assert said in error
    assert f"this envpool for {_core.sdk_fingerprint}" in error
    assert "Build it again" in error and "--no-build-isolation" in error


def test_a_library_from_before_the_door(tmp_path: Path) -> None:
    compile_walk(tmp_path, 'extern "C" [[gnu::visibility("default")]] void envpool_family() {}')
    error = load_walk(tmp_path)
    assert "built for version 9 or earlier" in error
    assert f"this is version {_core.sdk_version}" in error


def test_a_library_of_something_else(tmp_path: Path) -> None:
    compile_walk(tmp_path, "int nothing = 0;")
    assert "is no library of environments" in load_walk(tmp_path)


def test_a_library_that_lacks_a_function(tmp_path: Path) -> None:
    compile_walk(tmp_path, "void missing(); struct Early { Early() { missing(); } } early;")
    assert "undefined symbol" in load_walk(tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a library\n", b"\x7fELF"])
@pytest.mark.one_in(3)
def test_a_file_that_is_no_library(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "_walk.so").write_bytes(content)
    error = load_walk(tmp_path)
    assert error.startswith("ImportError: ")
    assert "_walk.so" in error


def test_a_library_that_is_not_there(tmp_path: Path) -> None:
    error = load_walk(tmp_path)
    assert error.startswith("ImportError: the native library _walk is not in this installation")
    assert platform.machine() in error


# What a family does while it is loaded, and what is said about it.
REGISTRATIONS = {
    "Register throws": (
        'const bool ok = Register([]() -> EnvType { throw std::out_of_range("level 7"); });',
        "could not register its environments: level 7",
    ),
    "Register throws a number": (
        "const bool ok = Register([]() -> EnvType { throw 7; });",
        "could not register its environments: an exception that is no std::exception",
    ),
    "two settings": (
        "const bool ok = Register(WalkType()), first = RegisterSettings({}, [](const Options&) {}),"
        " second = RegisterSettings({}, [](const Options&) {});",
        "could not register its environments: RegisterSettings was called twice",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("accident", REGISTRATIONS)
def test_registration_that_goes_wrong(tmp_path: Path, accident: str) -> None:
    code, said = REGISTRATIONS[accident]
    compile_walk(tmp_path, f"{WALK}{code}\n}}\n")
    error = load_walk(tmp_path)
    assert error.startswith("ImportError: ")
    assert said in error


@pytest.mark.long
@pytest.mark.parametrize(
    ("thrown", "said"),
    [
        ('std::runtime_error("no levels")', "ImportError: "),
        ('std::invalid_argument("no levels")', "ArgumentError: no levels"),
        ("7", "ImportError: "),
    ],
)
def test_settings_that_go_wrong(tmp_path: Path, thrown: str, said: str) -> None:
    code = f"""const bool ok = Register(WalkType()), settings = RegisterSettings(
        {{{{"folder", "", ""}}}}, [](const Options&) {{ throw {thrown}; }});"""
    compile_walk(tmp_path, f"{WALK}{code}\n}}\n")
    assert load_walk(tmp_path, {"folder": "/levels"}).startswith(said)


@pytest.mark.long
def test_a_spec_that_contradicts_itself(tmp_path: Path) -> None:
    spec = '.observation = {Box("obs", DType::kFloat32, {1}), Box("obs.x", DType::kFloat32, {1})}'
    sound = '.observation = {Box("obs", DType::kFloat32, {1})}'
    code = WALK.replace(sound, f".observation_structure = Structure::kDict, {spec}")
    assert code.count("obs.x") == code.count("kDict") == 1
    compile_walk(tmp_path, code + REGISTERED)
    walk = _core.load_family(str(tmp_path / "_walk.so"), {})["Walk"]
    with pytest.raises(ArgumentError, match=r"Walk's observation 'obs.x' overlaps with 'obs'"):
        walk.spec({})
