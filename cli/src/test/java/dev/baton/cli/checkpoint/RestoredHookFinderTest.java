/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestoredHookFinderTest {
  @TempDir Path folder;

  private void write(String path, String text, String mode) throws Exception {
    Path file = folder.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  @Test
  void shouldFindHooksAndSettingsWithCommands() throws Exception {
    write(".git/hooks/post-checkout", "#!/bin/sh\n", "rwxr-xr-x");
    write(".git/hooks/pre-push.sample", "#!/bin/sh\n", "rwxr-xr-x");
    write(".git/hooks/notes", "text", "rw-r--r--");
    write(".git/config", "[core]\n\tbare = false\n\tfsmonitor = ./x\n", "rw-r--r--");
    write("a/b/.git/config", "[core]\n\thooksPath=../evil\n", "rw-r--r--");
    write("a/hooks/mine", "#!/bin/sh\n", "rwxr-xr-x");
    write("c/.git/config", "[core]\n\tbare = false\n", "rw-r--r--");

    assertThat(RestoredHookFinder.find(folder))
        .containsExactly(
            ".git/config: fsmonitor", ".git/hooks/post-checkout", "a/b/.git/config: hooksPath");
  }
}
