/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.log;

/**
 * The attempt of a step that a line is of.
 *
 * @param step its path
 * @param visit which visit of the step, from 1
 * @param attempt which attempt of the visit, from 1
 */
public record LogAttempt(String step, int visit, int attempt) {}
