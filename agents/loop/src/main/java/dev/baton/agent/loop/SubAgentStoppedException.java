/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.loop.model.LoopModelException;

/**
 * The model gives a sub-agent no answer. It ends the session that has started the sub-agent, too,
 * whose call stays open: a resume continues there.
 */
final class SubAgentStoppedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final LoopModelException reason;

  SubAgentStoppedException(LoopModelException reason) {
    super(reason);
    this.reason = reason;
  }

  LoopModelException reason() {
    return reason;
  }
}
