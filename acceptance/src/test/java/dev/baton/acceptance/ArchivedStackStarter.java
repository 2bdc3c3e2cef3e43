/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import dev.baton.standalone.StackComponent;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Starts installations of their own that write their runs into a git archive. */
final class ArchivedStackStarter {
  private ArchivedStackStarter() {}

  /**
   * Starts an installation with new logs, an empty Postgres and an empty object store.
   *
   * @param environment variables of the orchestrator and its runners
   */
  static SharedStackExtension.RunningStack start(Path archive, Map<String, String> environment) {
    return SharedStackExtension.RunningStack.of(
        builder -> {
          builder
              .autoRestart(true)
              // A busy machine delays heartbeats for seconds; a failover would repeat a step.
              .environment(StackComponent.ORCHESTRATOR, "BATON_HEARTBEAT_INTERVAL", "3s")
              .environment(StackComponent.ORCHESTRATOR, "BATON_HEARTBEAT_TIMEOUT", "30s");
          environment.forEach(
              (name, value) -> builder.environment(StackComponent.ORCHESTRATOR, name, value));
          for (StackComponent service :
              List.of(StackComponent.STORE, StackComponent.ORCHESTRATOR)) {
            builder
                .environment(service, "BATON_ARCHIVE_GIT", archive.toString())
                .environment(service, "BATON_ARCHIVE_INTERVAL", "PT2S");
          }
          return builder;
        });
  }
}
