/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.testkit;

import dev.baton.standalone.S3Access;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests Baton's embedded S3 server. */
class EmbeddedS3Test extends S3Contract {
  @TempDir static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static StandaloneStack stack;

  @BeforeAll
  static void start() throws Exception {
    stack =
        StandaloneStack.builder()
            .data(folder.resolve("data"))
            .components(StackComponent.S3)
            .start();
  }

  @AfterAll
  static void stop() throws Exception {
    stack.close();
  }

  @Override
  S3Access access() {
    return stack.s3();
  }
}
