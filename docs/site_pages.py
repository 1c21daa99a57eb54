"""What mkdocs does besides its own: pages made from other files of the repository, and links between them.

The home page is the README, each metric's page its card. A link is written relative to its own file, so that it
works where the file is read by itself; here it leads to the page that is made from its target, or to the repository.
"""

import inspect
import json
import logging
import posixpath
import re
from pathlib import Path

import yaml
from mkdocs.structure.files import File, InclusionLevel

import tercet
from tercet.registry import METRICS, metric_class

ROOT = Path(__file__).resolve().parents[1]
CARDS = sorted(
    (path.parent.name for path in ROOT.glob("metrics/*/README.md")), key=[*METRICS, "paired_significance"].index
)
#: The page that is made from a file of the repository.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "benchmarks/RESULTS.md": "benchmarks.md",
    **{f"metrics/{name}/README.md": f"metrics/{name}.md" for name in CARDS},
}
SOURCES = {page: source for source, page in PAGES.items()}
_LINK = re.compile(r"(\]\()([^)\s#]*)((?:#[^)\s]*)?\))")
_HEAD = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_ROLE = re.compile(r":(?:func|class|meth|attr):<code>~?([\w.]+)</code>")
_PICTURE = re.compile(r'<img [^>]*?src="([^"]+)\.(png|svg)"[^>]*>')
_log = logging.getLogger("mkdocs.hooks.site_pages")


def on_config(config):
    """Name the metrics' pages in the navigation."""
    (metrics,) = (pages for section in config.nav for title, pages in section.items() if title == "Metrics")
    metrics.extend({name: f"metrics/{name}.md"} for name in CARDS)
    return config


def on_files(files, config):
    """Add the pages that are made from other files."""
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        if head := _HEAD.match(text):  # of a Space: of it a page needs what a search engine shows
            about = yaml.safe_load(head[1])
            text = f"---\ndescription: {json.dumps(about['description'])}\n---\n{text[head.end() :]}"
            text = text.replace(f"# Metric card for {about['title']}\n", f"# {about['title']}\n", 1)
        if page == "benchmarks.md":  # a section for each benchmark, at the top
            text = "# All benchmarks\n\n" + re.sub("(?m)^#", "##", text)
        if page == "index.md":  # its list of pages would have one entry
            text = f"---\nhide: [navigation, toc]\n---\n{text}"
        files.append(File.generated(config, page, content=text, inclusion=InclusionLevel.INCLUDED))
    return files


def _of_classes():
    """Return a section for each metric's class, whose options are those of the cards."""
    text = ""
    for cls in map(metric_class, METRICS):
        of = inspect.signature(cls)
        usual = ",\n".join(f"    {name}={each.default!r}" for name, each in of.parameters.items())
        text += (
            f"\n## tercet.{cls.__name__} {{ .doc .doc-heading }}\n\n```python\n{cls.__name__}(\n{usual},\n)\n```\n"
        )
        text += (
            f"\n{cls.__doc__.splitlines()[0]} [Its page](../../metrics/{cls.name}/README.md) describes the options.\n"
        )
    return text


def _of_cards():
    """Return a table of the metrics, by the heads of their cards."""
    rows = "| metric | what it computes |\n|---|---|\n"
    for name in CARDS:
        about = yaml.safe_load(_HEAD.match((ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8"))[1])
        rows += f"| [`{name}`](../../metrics/{name}/README.md) | {about['description']} |\n"
    return rows


def on_page_markdown(markdown, page, config, files):
    """Turn links to files into links to pages, and mark Python's prompts as such."""
    uri = page.file.src_uri
    source = SOURCES.get(uri, f"docs/{uri}")
    if uri == "api/metrics.md":
        markdown += _of_classes()
    if uri == "metrics/index.md":
        markdown = markdown.replace("\n## ", f"\n{_of_cards()}\n## ", 1)

    def link(match):
        before, target, after = match.groups()
        if not target or "://" in target:
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        found = PAGES.get(path, path.removeprefix("docs/") if path.startswith("docs/") else None)
        if found is not None:
            return before + posixpath.relpath(found, posixpath.dirname(uri) or ".") + after
        if not (ROOT / path).exists():
            _log.warning("%s links to %s, which does not exist", source, path)
        return f"{before}{config.extra['repository']}/blob/main/{path}{after}"

    text = re.sub(r"(?m)^( *)```python\n(?= *>>> )", r"\1```pycon\n", markdown)
    return _LINK.sub(link, text)


def _shown(match):
    """Return a picture that leads to the file, and that is another one on phones or in dark mode if there is one."""
    light, ending = match.groups()
    dark, shown = f"{light}_dark", ""
    has_dark = _is_there(f"{dark}.png")
    for name, looks in [(light, "picture day" if has_dark else "picture"), *([(dark, "picture night")] * has_dark)]:
        phone = f'<source media="(max-width: 40em)" srcset="{name}_phone.png">' * _is_there(f"{name}_phone.png")
        image = match[0].replace(f"{light}.{ending}", f"{name}.{ending}")
        shown += f'<a class="{looks}" href="{name}.{ending}"><picture>{phone}{image}</picture></a>'
    return shown


def _is_there(picture):
    return (ROOT / "docs" / posixpath.basename(picture)).exists()


def on_page_content(html, page, config, files):
    """Link the names in docstrings, which stand there as Sphinx has them, and pictures; divide the home page."""
    html = _PICTURE.sub(_shown, html)
    if page.file.src_uri == "index.md":  # up to its first heading: a result, three doors, a picture
        first, heading, others = html.partition("<h2")
        html = f'<div class="first-screen">{first}</div>{heading}{others}'

    def link(match):
        name = match[1].removeprefix("tercet.")
        first, *_ = name.split(".")
        place = tercet._MODULES.get(first)  # where a public name is
        full = f"tercet.{place}.{name}" if place else match[1]
        return f'<autoref optional identifier="{full}"><code>{match[1]}</code></autoref>'

    return _ROLE.sub(link, html)


def on_post_page(html, page, config):
    """Give the dialog of the search its name, which the theme leaves out."""
    return html.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )
