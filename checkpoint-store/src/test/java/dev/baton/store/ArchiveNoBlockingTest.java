/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import dev.baton.store.testing.ArchiveTestProfile;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** Repeats the checks of the superclass while runs are archived: git must not use an event loop. */
@QuarkusTest
@TestProfile(ArchiveTestProfile.class)
class ArchiveNoBlockingTest extends NoBlockingTest {}
