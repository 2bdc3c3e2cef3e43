/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

/** The components of a stack. */
public enum StackComponent {
  /** The log. */
  KAFKA("kafka"),
  /** The database. */
  POSTGRES("postgres"),
  /** The object store. */
  S3("s3"),
  /** The service that copies the trace and stores checkpoints; needs the three servers. */
  STORE("checkpoint-store"),
  /** The service with the public API; needs the three servers. */
  ORCHESTRATOR("orchestrator");

  private final String label;

  StackComponent(String label) {
    this.label = label;
  }

  /** Its name in messages, in {@code stack.json} and of its log and its data folder. */
  public String label() {
    return label;
  }

  boolean isService() {
    return this == STORE || this == ORCHESTRATOR;
  }
}
