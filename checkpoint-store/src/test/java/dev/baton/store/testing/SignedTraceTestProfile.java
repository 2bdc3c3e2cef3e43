/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import java.util.HashMap;
import java.util.Map;

/** Like {@link LeaseTestProfile}, with leases required only where a run needs them: the default. */
public class SignedTraceTestProfile extends LeaseTestProfile {
  @Override
  public Map<String, String> getConfigOverrides() {
    Map<String, String> overrides = new HashMap<>(super.getConfigOverrides());
    overrides.put("baton.lease.required", "false");
    return overrides;
  }
}
