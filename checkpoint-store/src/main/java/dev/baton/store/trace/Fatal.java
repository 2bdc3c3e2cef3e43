/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import io.quarkus.runtime.Quarkus;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;

/** Ends the process where going on would lose events: whoever supervises it starts it again. */
@ApplicationScoped
class Fatal {
  private static final Logger LOG = Logger.getLogger(Fatal.class);

  IllegalStateException because(String reason) {
    LOG.fatal(reason);
    Quarkus.asyncExit(1);
    return new IllegalStateException(reason);
  }
}
