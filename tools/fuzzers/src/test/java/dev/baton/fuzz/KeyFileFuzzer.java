/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import dev.baton.protocol.identity.ApiKeyFormat;
import dev.baton.server.KeyFileLoader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Files with API keys. */
final class KeyFileFuzzer {
  private KeyFileFuzzer() {}

  static void keys(byte[] input) throws IOException {
    Path file = ScratchFolder.file("keys", input);
    KeyFileLoader.Settings settings =
        new KeyFileLoader.Settings(true, Optional.of(file), Optional.empty());
    if (KeyFileLoader.problems(settings, "127.0.0.1").isEmpty()) {
      for (KeyFileLoader.FileKey key : KeyFileLoader.load(settings)) {
        FuzzAssert.require(ApiKeyFormat.id(key.key()).isPresent(), "is an API key");
      }
    }
  }
}
