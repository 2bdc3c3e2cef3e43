/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

/**
 * Reports that stored events of a run were removed, because they were outside of its home
 * partition: what was folded from them is wrong.
 */
public record TraceCorrectedEvent(String run) {}
