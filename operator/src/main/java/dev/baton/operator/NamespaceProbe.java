/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;

/**
 * Finds out what the operator can read of a namespace. The rights of a namespace are deleted with
 * it: then each request is refused, which alone does not show whether the namespace exists.
 * Thread-safe.
 */
final class NamespaceProbe {
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  private final KubernetesClient client;

  NamespaceProbe(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Returns why resources of a kind cannot be listed in a namespace: the kind or the right is
   * missing; empty if they can.
   *
   * @throws KubernetesClientException when the API server fails
   */
  Optional<String> refusal(Class<? extends HasMetadata> kind, String namespace) {
    try {
      client
          .resources(kind)
          .inNamespace(namespace)
          .list(new ListOptionsBuilder().withLimit(1L).build());
      return Optional.empty();
    } catch (KubernetesClientException e) {
      if (isRefusal(e)) {
        return Optional.of(String.valueOf(e.getMessage()));
      }
      throw e;
    }
  }

  /**
   * Returns whether a namespace exists no more; false without the right to read it.
   *
   * @throws KubernetesClientException when the API server fails
   */
  boolean isDeleted(String namespace) {
    try {
      return client.namespaces().withName(namespace).get() == null;
    } catch (KubernetesClientException e) {
      if (isRefusal(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Whether the answer means that the kind or the right is missing. */
  static boolean isRefusal(KubernetesClientException answer) {
    return answer.getCode() == NOT_FOUND || answer.getCode() == FORBIDDEN;
  }
}
