/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import dev.baton.protocol.locale.Utf8LocaleGuard;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

/**
 * Starts the checkpoint-store process, in a UTF-8 locale regardless of the locale of the
 * environment.
 */
@QuarkusMain
public final class CheckpointStoreMain {
  private CheckpointStoreMain() {}

  public static void main(String... args) {
    Utf8LocaleGuard.require();
    Quarkus.run(args);
  }
}
