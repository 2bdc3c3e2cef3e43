/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.workflows;

import com.google.protobuf.ByteString;
import dev.baton.protocol.workflow.Workflow;

/**
 * A stored and parsed definition. Immutable.
 *
 * @param canonical its canonical JSON, as sent to runners
 */
public record StoredWorkflowDefinition(String hash, Workflow workflow, ByteString canonical) {
  public String name() {
    return workflow.name();
  }
}
