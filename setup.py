# SPDX-License-Identifier: GPL-2.0-only
"""pip install .: the extension module is made by the Makefile, for the Python that pip runs in."""

import os
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class MakeExtension(build_ext):  # type: ignore[misc]
    def build_extension(self, ext: Extension) -> None:
        build = os.path.abspath(os.path.join(self.build_temp, "make"))
        make = ["make", f"-j{os.cpu_count()}", f"PYTHON={sys.executable}", f"BUILD={build}"]
        subprocess.check_call([*make, "extension"])
        target = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.join(build, os.path.basename(target)), target)


setup(ext_modules=[Extension("_tamis", sources=[])], cmdclass={"build_ext": MakeExtension})
