"""Models in files that are no models, or too much for MuJoCo: nothing dies and nothing hangs."""

import textwrap
from pathlib import Path

import pytest

from helpers import assert_runs

pytest.importorskip("mujoco")
pytest.importorskip("gymnasium.envs.mujoco")

BEGIN = """
from pathlib import Path
import gymnasium

folder = Path({folder!r})
assets = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
ant = (assets / "ant.xml").read_text()

def write(name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)

def with_more(text):
    assert ant.count("</mujoco>") == 1
    return ant.replace("</mujoco>", text + "</mujoco>")

def make_ant(path, **options):
    return envpool.make("Ant-v5", "gymnasium", num_envs=2, xml_file=path, **options)

def refusal(path):
    try:
        make_ant(path)
    except (ValueError, MemoryError) as error:
        assert str(path) in str(error), error
        return str(error)
    return "no refusal"

def count_children():
    tasks = Path("/proc/self/task").iterdir()
    return sum(len((task / "children").read_text().split()) for task in tasks)
"""
# What keeps the compiler waiting for ever.
BLOCKED = """
os.mkfifo(folder / "pipe.stl")
blocked = write("blocked.xml", with_more('<asset><mesh name="m" file="pipe.stl"/></asset>'))
"""


def run(folder: Path, program: str, attempts: int = 1) -> None:
    assert_runs(BEGIN.format(folder=str(folder)) + textwrap.dedent(program), attempts)


@pytest.mark.slow
def test_files_that_are_no_models(tmp_path):
    run(
        tmp_path,
        """
        deep = "<mujoco><worldbody>" + "<body>" * 100_000 + "</body>" * 100_000
        for text in (
            "", "hello", bytes(100_000), bytes(range(256)) * 100, ant.encode("utf-16"),
            ant[: len(ant) // 2], deep + "</worldbody></mujoco>", "<mujoco><worldbody/></mujoco>",
            '<mujoco><include file="model.xml"/></mujoco>',
            '<mujoco><include file="/dev/zero"/></mujoco>',
            with_more('<asset><mesh name="m" file="no.stl"/></asset>'),
            with_more('<asset><hfield name="m" file="/dev/zero" size="1 1 1 1"/></asset>'),
            with_more('<asset><texture name="m" type="2d" file="/dev/zero"/></asset>'),
        ):
            assert "model.xml" in refusal(write("model.xml", text))
        assert make_ant(write("model.xml", ant)).reset()[0].shape == (2, 105)
        """,
    )


def test_paths_that_are_no_files(tmp_path):
    run(
        tmp_path,
        """
        os.mkfifo(folder / "pipe.xml")
        for path in (folder, folder / "pipe.xml", "/dev/zero", "/dev/null", "/dev/stdin"):
            assert "is no file" in refusal(str(path))
        large = folder / "large.xml"
        with open(large, "wb") as file:
            file.truncate(300 * 2**20)
        assert "314572800 bytes, expected at most 268435456" in refusal(str(large))
        path = write("model.xml", ant) + "\\0.xml"
        refuses(lambda: make_ant(path), "xml_file has a null character", error=ValueError)
        """,
    )


def test_sizes_beyond_sense(tmp_path):
    run(
        tmp_path,
        """
        for attribute in ("nkey", "nuserdata", "nuser_body", "nuser_geom", "nuser_actuator"):
            path = write("model.xml", with_more(f'<size {attribute}="2000000000"/>'))
            assert f'<size {attribute}="2000000000"/>, expected at most 1000000' in refusal(path)
        path = write("model.xml", with_more('<size memory="1000G"/>'))
        assert "expected at most 8589934592" in refusal(path)
        for step in ("0", "-1", "nan", "inf", "1e300"):
            path = write("model.xml", ant.replace('timestep="0.01"', f'timestep="{step}"'))
            assert "timestep" in (text := refusal(path)) and "from 1e-15 to 1e+10" in text
        """,
    )


def test_a_file_that_crashes_the_compiler(tmp_path):
    """A number of 32 bits overflows inside of it."""
    run(
        tmp_path,
        """
        field = '<asset><hfield name="x" nrow="65536" ncol="65536" size="1 1 1 1"/></asset>'
        assert "whose compiler ended: Segmentation fault" in refusal(
            write("model.xml", with_more(field)))
        """,
    )


@pytest.mark.slow
def test_ctrl_c_is_noticed_while_a_model_is_compiled(tmp_path):
    run(
        tmp_path,
        BLOCKED
        + """
def make_spec():
    envpool.make_spec("Ant-v5", xml_file=blocked)

for call in (lambda: make_ant(blocked), make_spec):
    assert_notices_ctrl_c(call)

path = write("other.xml", ant)
pool = gymnasium.make_vec("envpool/Ant-v5", num_envs=2, xml_file=path)
pool.reset()
before = pool.get_attr("healthy_reward")
os.replace(blocked, folder / "other.xml")
assert_notices_ctrl_c(lambda: pool.set_attr("healthy_reward", 2.0))
assert pool.get_attr("healthy_reward") == before
""",
        attempts=3,
    )


def test_nobody_waits_for_another_models_compiler(tmp_path):
    run(
        tmp_path,
        BLOCKED
        + """
threads = [threading.Thread(target=refusal, args=(blocked,)) for _ in range(2)]
for thread in threads:
    thread.start()
while count_children() < 2:
    time.sleep(0.01)
for _ in range(3):
    make_ant("ant.xml").reset()
# Their pipe has a writer at last, and an end: that is no mesh.
while any(thread.is_alive() for thread in threads):
    try:
        os.close(os.open(folder / "pipe.stl", os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        time.sleep(0.01)
assert count_children() == 0
""",
    )


def test_a_closed_standard_input_output_and_error(tmp_path):
    """Descriptors that the compiler's take the place of."""
    run(
        tmp_path,
        """
        for number in (0, 1):
            os.close(number)
        assert make_ant("ant.xml").reset()[0].shape == (2, 105)
        assert "XML parse error" in refusal(write("model.xml", "hello"))
        """,
    )


def test_whatever_signals_do_in_this_process(tmp_path):
    """The compiler ends all the same, and so does who waits for it."""
    run(
        tmp_path,
        """
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        assert make_ant("ant.xml").reset()[0].shape == (2, 105)
        assert "XML parse error" in refusal(write("model.xml", "hello"))
        signal.signal(signal.SIGCHLD, lambda *_: os.waitpid(-1, os.WNOHANG))
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGCHLD})
        for task in ("Hopper-v5", "Reacher-v5", "Swimmer-v5"):
            try:
                envpool.make(task, "gymnasium", num_envs=1).reset()
            except ChildProcessError:
                pass  # of the handler above, where there is no child left
        """,
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        """'<worldbody>' + '<body><geom size=".1"/></body>' * 20_000 + '</worldbody>'""",
        """'<worldbody><replicate count="1000000000"><geom size="1"/></replicate></worldbody>'""",
        """'<asset><hfield name="x" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>'""",
        """'<size nkey="999999"/>'""",
    ],
)
def test_ctrl_c_ends_long_compilations(text, tmp_path):
    run(
        tmp_path,
        f"""
        path = write("model.xml", with_more({text}))
        assert_notices_ctrl_c(lambda: make_ant(path), after=2.0)
        """,
        attempts=3,
    )
