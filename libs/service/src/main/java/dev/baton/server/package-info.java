/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Parts of a Quarkus service that the orchestrator and the checkpoint-store share: detection of
 * blocked event loops, rejection of requests from web pages, periodic tasks, classification of
 * Postgres errors.
 *
 * <p>{@link dev.baton.server.EventLoopGuard} and {@link dev.baton.server.EventLoopHealthCheck} are
 * beans of every service that has this module on its class path; the other classes are created by
 * the service that uses them.
 */
@NullMarked
package dev.baton.server;

import org.jspecify.annotations.NullMarked;
