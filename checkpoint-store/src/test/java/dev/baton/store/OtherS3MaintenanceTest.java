/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import dev.baton.store.testing.OtherS3TestProfile;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** Repeats the tests with a second implementation of S3. */
@QuarkusTest
@TestProfile(OtherS3TestProfile.class)
class OtherS3MaintenanceTest extends MaintenanceTest {}
