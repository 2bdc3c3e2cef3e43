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
import org.jspecify.annotations.Nullable;

/** A name and its current version: the one that was put last. */
@Entity
@Table(name = "workflow_name")
class WorkflowNameEntity {
  @Id
  @Column(name = "name", updatable = false)
  private String name;

  @Column(name = "hash", nullable = false)
  private String hash;

  @Column(name = "concurrency")
  private @Nullable Integer concurrency;

  @Column(name = "updated_at", nullable = false)
  private Instant updatedAt;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected WorkflowNameEntity() {}

  WorkflowNameEntity(String name, String hash, @Nullable Integer concurrency, Instant updatedAt) {
    this.concurrency = concurrency;
    this.name = name;
    this.hash = hash;
    this.updatedAt = updatedAt;
  }

  String name() {
    return name;
  }

  String hash() {
    return hash;
  }

  @Nullable Integer concurrency() {
    return concurrency;
  }

  Instant updatedAt() {
    return updatedAt;
  }

  void pointTo(String newHash, @Nullable Integer limit, Instant at) {
    concurrency = limit;
    hash = newHash;
    updatedAt = at;
  }
}
