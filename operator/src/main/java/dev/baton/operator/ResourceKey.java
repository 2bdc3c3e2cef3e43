/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;

/**
 * Identifies a resource of the cluster.
 *
 * @param uid unique in the cluster for all time
 */
public record ResourceKey(String uid, String namespace, String name) {
  /** Returns what identifies a resource, also after its name was used again. */
  static ResourceKey of(HasMetadata resource) {
    ObjectMeta metadata = resource.getMetadata();
    return new ResourceKey(metadata.getUid(), metadata.getNamespace(), metadata.getName());
  }
}
