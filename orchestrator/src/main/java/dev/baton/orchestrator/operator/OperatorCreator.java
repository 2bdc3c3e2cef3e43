/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.operator;

import dev.baton.operator.BatonOperator;
import dev.baton.operator.OperatorSettings;
import dev.baton.operator.OrchestratorClient;
import dev.baton.orchestrator.config.OrchestratorConfig;
import java.util.List;
import java.util.Set;

/**
 * Starts the operator. A class of its own, so that the Kubernetes client is loaded only where it is
 * enabled.
 */
final class OperatorCreator {
  private OperatorCreator() {}

  static AutoCloseable start(
      OrchestratorConfig config, OrchestratorClient client, Set<String> poolNamespaces) {
    BatonOperator operator =
        BatonOperator.create(
            new OperatorSettings(
                config.operator().kubeconfig(),
                Set.copyOf(config.operator().namespaces().orElse(List.of())),
                poolNamespaces,
                config.instanceId()),
            client);
    operator.start();
    return operator;
  }
}
