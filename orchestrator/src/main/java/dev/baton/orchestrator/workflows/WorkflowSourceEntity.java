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

/** The text of a workflow's version as it was last put. */
@Entity
@Table(name = "workflow_source")
class WorkflowSourceEntity {
  @Id
  @Column(name = "hash", updatable = false)
  private String hash;

  @Column(name = "media_type", nullable = false)
  private String mediaType;

  @Column(name = "source", nullable = false)
  private byte[] source;

  @Column(name = "put_at", nullable = false)
  private Instant putAt;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected WorkflowSourceEntity() {}

  WorkflowSourceEntity(String hash, WorkflowCatalog.Source source, Instant putAt) {
    this.hash = hash;
    this.mediaType = source.mediaType();
    this.source = source.text();
    this.putAt = putAt;
  }

  WorkflowCatalog.Source source() {
    return new WorkflowCatalog.Source(mediaType, source);
  }

  void replace(WorkflowCatalog.Source newSource, Instant at) {
    mediaType = newSource.mediaType();
    source = newSource.text();
    putAt = at;
  }
}
