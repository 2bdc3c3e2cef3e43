/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator;

import dev.baton.protocol.locale.Utf8LocaleGuard;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

/** Starts the orchestrator process in a UTF-8 locale, regardless of the inherited locale. */
@QuarkusMain
public final class OrchestratorMain {
  private OrchestratorMain() {}

  public static void main(String... args) {
    Utf8LocaleGuard.require();
    Quarkus.run(args);
  }
}
