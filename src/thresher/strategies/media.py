"""What a URL leads to, as far as its ending tells: a picture, some other file, or a page."""

from thresher.core.records import Url

IMAGES = frozenset("jpg jpeg png gif webp bmp ico svg tif tiff avif".split())
FILES = IMAGES | frozenset(
    "mp3 ogg wav flac mp4 avi mov mkv webm mpg mpeg wmv zip gz bz2 xz 7z rar tar tgz exe dmg iso apk deb rpm"
    " css js json woff woff2 ttf ps eps doc docx xls xlsx ppt pptx pdf".split()
)


def is_image(url: Url) -> bool:
    """Tell whether a URL ends as pictures do."""
    return ending(url) in IMAGES


def is_page(url: Url) -> bool:
    """Tell whether a URL ends as no file but a page does."""
    return ending(url) not in FILES


def ending(url: Url) -> str:
    """Return what stands after the last full stop of a path's last part, in lower case, if anything."""
    name = url.partition("?")[0].rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""
