/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.log;

/**
 * The attempt of a step that wrote a log line.
 *
 * @param step its path
 * @param visit number of the step's visit, from 1
 * @param attempt number of the visit's attempt, from 1
 */
public record LogAttempt(String step, int visit, int attempt) {}
