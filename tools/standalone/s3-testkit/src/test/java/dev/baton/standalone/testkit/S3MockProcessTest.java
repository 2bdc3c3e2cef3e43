/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

import dev.baton.standalone.S3Access;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests a second implementation, which does not check signatures. */
class S3MockProcessTest extends S3Contract {
  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static S3MockProcess server;

  @BeforeAll
  static void start() throws Exception {
    server = S3MockProcess.start(folder);
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Override
  S3Access access() {
    return server.access();
  }

  /** It verifies no signatures. */
  @Override
  Set<String> unmet() {
    return Set.of("expired-url", "guessed-secret", "other-key", "other-method", "signed-checksum");
  }

  /** It needs tens of milliseconds per object. */
  @Override
  int pageSize() {
    return 50;
  }
}
