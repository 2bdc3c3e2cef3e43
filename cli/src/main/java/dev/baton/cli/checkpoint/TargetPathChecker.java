/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Checks the path to which a command writes files. */
final class TargetPathChecker {
  private TargetPathChecker() {}

  /**
   * @throws CliException when the target exists, is not empty and may not be replaced
   */
  static void checkFree(Path target, boolean force) throws IOException {
    if (force || !Files.exists(target, LinkOption.NOFOLLOW_LINKS) || isEmptyDirectory(target)) {
      return;
    }
    throw CliException.of(
        CliExitCode.CONFLICT,
        "%s exists and is not empty: give another path, or replace its whole content with --force"
            .formatted(target));
  }

  private static boolean isEmptyDirectory(Path target) throws IOException {
    if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (DirectoryStream<Path> content = Files.newDirectoryStream(target)) {
      return !content.iterator().hasNext();
    }
  }
}
