"""Notebooks run from top to bottom and show what they promise; they are kept without outputs."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
FILES = sorted(FOLDER.glob("*.ipynb"))
NEEDS = ["ipykernel", "matplotlib", "stable_baselines3", "pygame", "PIL", "imageio_ffmpeg"]
CLEAN = "nbstripout --keep-id --extra-keys metadata.language_info examples/notebooks/*.ipynb"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_notebooks_are_kept_without_outputs(file: Path) -> None:
    text = file.read_text()
    notebook = json.loads(text)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells), CLEAN
    assert all(cell["metadata"] == {} for cell in notebook["cells"]), CLEAN
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    assert notebook["metadata"] == {"kernelspec": kernel}, CLEAN
    # This is how Jupyter writes it, so that who saves it changes only what was edited.
    assert text == json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_links_of_notebooks_lead_somewhere(file: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", file.read_text())
    assert links and [link for link in links if not (FOLDER / link).exists()] == []


class Outputs:
    """What the cells of an executed notebook show, by their ids."""

    def __init__(self, notebook: Any) -> None:
        self.cells = {cell.id: cell.outputs for cell in notebook.cells if "outputs" in cell}

    def text(self, cell: str, stream: str = "stdout") -> str:
        outputs = self.cells[cell]
        return "".join(output.text for output in outputs if output.get("name") == stream)

    def data(self, cell: str, kind: str) -> str:
        shown = [output.data[kind] for output in self.cells[cell] if kind in output.get("data", {})]
        assert len(shown) == 1, (cell, kind)
        return shown[0]

    def picture(self, cell: str) -> Any:
        from PIL import Image

        return np.asarray(Image.open(io.BytesIO(base64.b64decode(self.data(cell, "image/png")))))

    def film(self, cell: str) -> Any:
        import imageio.v2 as imageio

        video = re.search(r'<video src="data:video/mp4;base64,(.+?)"', self.data(cell, "text/html"))
        assert video is not None, cell
        frames = imageio.mimread(base64.b64decode(video[1]), "mp4", memtest=False)
        return np.stack(frames)


@pytest.fixture(scope="module")  # a test would count as hanging after a minute
def execute(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Outputs]:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    for package in NEEDS:
        pytest.importorskip(package, reason='needs pip install ".[notebooks]"')

    def run(name: str) -> Outputs:
        folder = tmp_path_factory.mktemp(name)
        notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
        nbformat.validate(notebook)
        with pytest.MonkeyPatch.context() as patch:
            for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "TMPDIR"):
                (folder / variable).mkdir()
                patch.setenv(variable, str(folder / variable))
            (folder / "here").mkdir()
            resources = {"metadata": {"path": str(folder / "here")}}
            nbclient.NotebookClient(notebook, timeout=120, resources=resources).execute()
        outputs = Outputs(notebook)
        assert not list((folder / "here").iterdir())
        assert "".join(outputs.text(cell, "stderr") for cell in outputs.cells) == ""
        return outputs

    return run


@pytest.fixture(scope="module")
def first_steps(execute: Callable[[str], Outputs]) -> Outputs:
    return execute("first_steps")


@pytest.fixture(scope="module")
def your_own_environment(execute: Callable[[str], Outputs]) -> Outputs:
    return execute("your_own_environment")


@pytest.mark.slow
def test_first_steps(first_steps: Outputs) -> None:
    for cell in ("render", "random-actions", "tasks"):
        assert first_steps.picture(cell).std() > 5, cell
    assert first_steps.film("film").shape[0] == 151
    length = int(re.findall(r"return (\d+)", first_steps.data("episode", "text/plain"))[0])
    assert first_steps.film("episode").shape[0] == length + 1
    assert "171 episodes" in first_steps.data("record", "text/html")
    at_random, rule = map(int, re.findall(r"mean return (\d+)", first_steps.text("returns")))
    assert at_random < 40 and rule > 400
    rows = first_steps.text("autoreset").splitlines()
    assert rows[10].split()[1:4] == ["True", "1.0", "10"]
    assert rows[11].split()[1:4] == ["False", "0.0", "0"]


@pytest.mark.slow
def test_your_own_environment(your_own_environment: Outputs) -> None:
    shown = your_own_environment
    assert "Beam: 0 of 19 checks fail" in shown.text("check")
    assert "repeat, fault" in shown.text("fault") and "self.np_random" in shown.text("fault")
    for cell in ("drawing", "curve"):
        assert shown.picture(cell).std() > 5, cell
    scores = re.findall(r"[\d.]+", shown.text("evaluation"))
    trained, at_random = float(scores[0]), float(scores[-1])
    assert trained > 150 and at_random < 60  # of 200; about 193 and 25
    film = shown.film("film")
    assert len(film) == 101 and (film[1:] != film[:-1]).any(axis=(1, 2, 3)).mean() > 0.9
    assert len(shown.film("first-episode")) > 5
