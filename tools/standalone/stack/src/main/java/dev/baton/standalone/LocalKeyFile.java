/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import dev.baton.protocol.identity.ApiKeyFormat;
import dev.baton.protocol.net.BearerCredential;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The file with the API key of a local stack, {@code local.key} in its data folder: created at the
 * first start, readable by its owner only: its reader is an admin.
 */
final class LocalKeyFile {
  private static final String NAME = "local.key";

  private LocalKeyFile() {}

  static Path of(Path data) {
    return data.resolve(NAME);
  }

  /**
   * Returns the key; creates the file if it is missing, with its final mode and content at once.
   *
   * @throws IOException when the file cannot be read or created, or has no key
   */
  static String createIfMissing(Path data) throws IOException {
    Path file = of(data);
    if (!Files.exists(file)) {
      Path part =
          Files.createTempFile(
              data,
              NAME,
              ".part",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      try {
        Files.writeString(
            part,
            "# The API key of this stack. The baton command finds it by itself.\n"
                + ApiKeyFormat.create()
                + "\n");
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(part);
      }
    }
    return BearerCredential.lines(Files.readString(file)).stream()
        .filter(line -> ApiKeyFormat.id(line).isPresent())
        .findFirst()
        .orElseThrow(
            () ->
                new IOException(
                    file + " has no API key; delete it, and the next start creates it"));
  }
}
