/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.replicas;

/**
 * Fired when this replica listens to the other replicas (again); the database has the state behind
 * all messages it missed. Observers may block.
 */
public record ReplicaBusReconnectedEvent() {}
