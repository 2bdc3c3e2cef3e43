/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import io.quarkus.test.junit.QuarkusTestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;

/** Configures a store with a git archive that it reads every second. */
public final class ArchiveTestProfile implements QuarkusTestProfile {
  /** The system property with the archive's folder; the tests run in another class loader. */
  public static final String FOLDER = "test.archive";

  @Override
  public Map<String, String> getConfigOverrides() {
    try {
      String folder =
          Files.createTempDirectory("baton-archive-test").resolve("made/runs.git").toString();
      System.setProperty(FOLDER, folder);
      return Map.of(
          "baton.archive.git", folder,
          "baton.archive.interval", "PT1S",
          "baton.archive.max-workspace", "200000");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
