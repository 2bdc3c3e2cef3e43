/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.sink.FatalErrorHandler;
import dev.baton.sink.SinkFatalException;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.jboss.logging.Logger;

/** Exits the process when to continue would lose events; its supervisor restarts it. */
@ApplicationScoped
class ProcessExitHandler implements FatalErrorHandler {
  private static final Logger LOG = Logger.getLogger(ProcessExitHandler.class);

  private volatile boolean stopping;

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    stopping = true;
  }

  @Override
  public SinkFatalException because(String reason) {
    if (stopping) {
      LOG.debugf("process is already exiting: %s", reason);
    } else {
      LOG.fatal(reason);
      Quarkus.asyncExit(1);
    }
    return new SinkFatalException(reason);
  }
}
