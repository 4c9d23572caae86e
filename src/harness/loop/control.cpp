#include "harness/loop/control.h"

namespace ralph::loop {

bool Control::stop(int signal_number) {
  int none = 0;
  if (asked_.compare_exchange_strong(none, signal_number)) return false;
  runs_.end(signal_number);
  return true;
}

void Control::stop_now(int signal_number) {
  int none = 0;
  asked_.compare_exchange_strong(none, signal_number);
  runs_.end(signal_number);
}

}  // namespace ralph::loop
