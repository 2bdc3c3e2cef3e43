/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.workflows;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;

/** One version of a workflow; immutable. */
@Entity
@Table(name = "workflow")
class WorkflowVersionEntity {
  @Id
  @Column(name = "hash", updatable = false)
  private String hash;

  @Column(name = "name", nullable = false, updatable = false)
  private String name;

  @Column(name = "definition", nullable = false, updatable = false)
  private String definition;

  @Column(name = "created_at", nullable = false, updatable = false)
  private Instant createdAt;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected WorkflowVersionEntity() {}

  WorkflowVersionEntity(String hash, String name, String definition, Instant createdAt) {
    this.hash = hash;
    this.name = name;
    this.definition = definition;
    this.createdAt = createdAt;
  }

  String hash() {
    return hash;
  }

  String name() {
    return name;
  }

  String definition() {
    return definition;
  }

  Instant createdAt() {
    return createdAt;
  }
}
