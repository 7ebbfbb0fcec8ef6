"""The site: pages, stories that are run, and a reference that is made of the code. `make docs` builds it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from docutils import nodes

from netveil._version import __version__

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "netveil"
author = "The netveil maintainers"
copyright = f"2026, {author}"  # noqa: A001
version = release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinxcontrib.bibtex",
    "options_of_jobs",
]
exclude_patterns = ["_build"]
nitpicky = True
# Names of Python and numpy, whose pages nobody asks for: the site is built without the internet.
nitpick_ignore_regex = [
    ("py:.*", r"(collections|pathlib|numpy|click|typing)\..*|\w*Error|\w*Warning|optional")
]

html_theme = "furo"
html_title = "netveil"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False

myst_enable_extensions = ["colon_fence", "attrs_inline", "deflist"]
myst_heading_anchors = 4
myst_html_meta = {
    "description lang=en": "netveil makes a social network safe to publish: who can be found, and what to do."
}

nb_execution_mode = "force"  # what a story shows is what netveil does today
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_show_tb = True
nb_output_stderr = "remove"

autodoc_member_order = "bysource"
autodoc_typehints = "none"
default_role = "code"
numpydoc_show_class_members = False


bibtex_bibfiles = ["references.bib"]
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

FROM_THE_ROOT = {
    "developers/contributing": "CONTRIBUTING.md",
    "developers/conduct": "CODE_OF_CONDUCT.md",
    "developers/vulnerabilities": "SECURITY.md",
    "reference/changes": "CHANGELOG.md",
}
"""Pages whose text is a file beside the sources, by the name of the page."""

_LINK = re.compile(r"\]\((?:\.\./|docs/)?([\w/-]+\.(?:md|cff))((?:#[\w-]+)?)\)")


def _text_of_page(app: object, page: str, text: list[str]) -> None:
    """Give pages of the root their text, and lead links between the two folders to pages of the site."""
    places = {name: f"/{place}.md" for place, name in FROM_THE_ROOT.items()} | {"README.md": "/index.md"}
    if page in FROM_THE_ROOT:
        text[0] = (ROOT / FROM_THE_ROOT[page]).read_text(encoding="utf-8")

    def to_page(link: re.Match[str]) -> str:
        name, heading = link.groups()
        if name in places:
            return f"]({places[name]}{heading if places[name] != '/index.md' else ''})"
        if name == "CITATION.cff":
            return "](/reference/citing.md)"
        return f"](/{name}{heading})" if page in FROM_THE_ROOT else link.group()

    text[0] = _LINK.sub(to_page, text[0])


def _name_pictures(app: object, page: nodes.document, name: str) -> None:
    """Pictures of the gallery are called what their story is called."""
    for picture in page.findall(nodes.image):
        section = picture.parent
        while section is not None and not isinstance(section, nodes.section):
            section = section.parent
        if "alt" not in picture and section is not None:
            picture["alt"] = f"Figure of the story: {section[0].astext()}"


def setup(app: object) -> None:
    """Tell Sphinx."""
    app.connect("source-read", _text_of_page)  # type: ignore[attr-defined]
    app.connect("doctree-resolved", _name_pictures)  # type: ignore[attr-defined]
