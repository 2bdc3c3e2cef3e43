/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

/**
 * What a blocked event loop causes in a service, for the log. Without a bean of this type the
 * replica is not ready, and nothing else.
 *
 * @param text a clause such as "this replica takes no new work"
 */
public record BlockedLoopEffect(String text) {}
