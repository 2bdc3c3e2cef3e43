/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.objects;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;

/**
 * An object for which an upload was allowed: the index that says what the bucket may hold, whether
 * an event ever referred to it or not.
 */
@Entity
@Table(schema = "store", name = "object")
class KnownObject {
  @Id String key = "";
  String project = "";
  String kind = "";
  String digest = "";

  @Column(name = "size_bytes")
  long sizeBytes;

  @Column(name = "first_run")
  String firstRun = "";

  @Column(name = "asked_at")
  Instant askedAt = Instant.EPOCH;

  protected KnownObject() {}

  KnownObject(ObjectName object, String run, Instant now) {
    key = object.key();
    project = object.project();
    kind = object.kind().word();
    digest = object.digest();
    sizeBytes = object.sizeBytes();
    firstRun = run;
    askedAt = now;
  }
}
