/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.containers;

import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.DockerClientFactory;

/**
 * Skips the tests of a class where no Docker engine answers, and prints why; with {@code
 * -Ddocker.required=true} they fail instead.
 */
final class DockerEngineCondition implements ExecutionCondition {
  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return Probe.FAILURE
        .map(
            failure -> {
              skipUnlessRequired(
                  context.getDisplayName(),
                  "no Docker engine can be used: start Docker, or set DOCKER_HOST to another"
                      + " engine; or execute .ci/containers contracts, which starts one of its own: "
                      + failure);
              return ConditionEvaluationResult.disabled(failure);
            })
        .orElseGet(() -> ConditionEvaluationResult.enabled("a Docker engine answers"));
  }

  /**
   * Prints that tests are skipped.
   *
   * @throws IllegalStateException with the reason if {@code docker.required} is set
   */
  static void skipUnlessRequired(String tests, String reason) {
    if (Boolean.getBoolean("docker.required")) {
      throw new IllegalStateException(tests + ": " + reason);
    }
    System.out.println(tests + " skipped: " + reason);
  }

  /** Connects once, at its first use. */
  private static final class Probe {
    static final Optional<String> FAILURE = connect();

    private static Optional<String> connect() {
      try {
        DockerClientFactory.instance().client();
        return Optional.empty();
      } catch (RuntimeException | LinkageError e) {
        return Optional.of(e.toString());
      }
    }
  }
}
